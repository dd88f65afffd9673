import { describe, expect, it } from 'vitest'
import names from './country-names.json'
import { allCountries, countriesByIsoCode, countryByIsoCode } from './countries'

describe('countries', () => {
  it('are about 250 records with all fields [REF-01]', async () => {
    const countries = await allCountries()
    expect(countries.length).toBeGreaterThanOrEqual(245)
    expect(countries.length).toBeLessThanOrEqual(255)
    expect(new Set(countries.map(({ isoCode }) => isoCode)).size).toBe(countries.length)
    for (const country of countries) {
      const { name, isoCode, flag, phonecode, currency, latitude, longitude, timezones } = country
      expect(name.trim()).toBe(name)
      expect(name).not.toBe('')
      expect(isoCode).toMatch(/^[A-Z]{2}$/)
      // A flag is the two letters of the code as regional indicators.
      expect([...flag].map((letter) => String.fromCharCode((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 65)).join('')).toBe(isoCode)
      expect(phonecode, name).toMatch(/^\+?[\d -]+/)
      expect(currency, name).toMatch(/^[A-Z]{3}$/)
      expect(Math.abs(Number(latitude)), name).toBeLessThanOrEqual(90)
      expect(Math.abs(Number(longitude)), name).toBeLessThanOrEqual(180)
      expect(timezones.length, name).toBeGreaterThan(0)
      for (const { zoneName, gmtOffset, gmtOffsetName, abbreviation, tzName } of timezones) {
        expect([zoneName, gmtOffsetName, abbreviation, tzName].every(Boolean), name).toBe(true)
        const sign = gmtOffset < 0 ? '-' : '+'
        const minutes = Math.abs(gmtOffset) / 60
        const two = (part: number) => String(Math.floor(part)).padStart(2, '0')
        // The source writes zero as UTC±00.
        expect(gmtOffsetName.replace('±00', '+00:00'), name).toBe(`UTC${sign}${two(minutes / 60)}:${two(minutes % 60)}`)
      }
    }
  })

  it('are found by ISO code and sorted by it [REF-01]', async () => {
    expect((await countryByIsoCode('se'))?.name).toBe('Sweden')
    expect(await countryByIsoCode('ZZ')).toBeUndefined()
    const codes = (await countriesByIsoCode()).map(({ isoCode }) => isoCode)
    expect(codes).toEqual([...codes].sort())
    expect(codes).toHaveLength((await allCountries()).length)
  })

  it('give the registration its names [REF-01] [AUTH-04]', async () => {
    expect(names).toEqual((await allCountries()).map(({ name }) => name))
  })
})

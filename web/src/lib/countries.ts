/** The country reference records, in a chunk of their own that is loaded when first asked for [REF-01]. */

export type Timezone = { zoneName: string; gmtOffset: number; gmtOffsetName: string; abbreviation: string; tzName: string }

export type Country = {
  name: string
  isoCode: string
  flag: string
  phonecode: string
  currency: string
  latitude: string
  longitude: string
  timezones: Timezone[]
}

/** All countries and territories, in the order of their names. */
export async function allCountries(): Promise<readonly Country[]> {
  const { default: records } = await import('./countries.json')
  return records
}

export async function countryByIsoCode(isoCode: string): Promise<Country | undefined> {
  const wanted = isoCode.toUpperCase()
  return (await allCountries()).find((country) => country.isoCode === wanted)
}

export async function countriesByIsoCode(): Promise<readonly Country[]> {
  return [...(await allCountries())].sort((a, b) => (a.isoCode < b.isoCode ? -1 : 1))
}

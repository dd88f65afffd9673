// Writes the country reference data of the web app and of the auth service from one source,
// the ODbL-licensed package @countrystatecity/countries (about 75 MB, so not a standing dependency):
//   npm install --no-save @countrystatecity/countries@1.0.9 && npm run countries
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const data = `${root}node_modules/@countrystatecity/countries/dist/data`

// The package keeps time zones in a folder per country and has none for territories without states;
// these come from the IANA zone table (zone1970.tab and backward).
const ZONES_WITHOUT_FOLDER = {
  AQ: ['Antarctica/Casey', 'Antarctica/Davis', 'Antarctica/Mawson', 'Antarctica/McMurdo', 'Antarctica/Palmer', 'Antarctica/Rothera', 'Antarctica/Syowa', 'Antarctica/Troll', 'Antarctica/Vostok'],
  BV: ['Europe/Oslo'], CC: ['Indian/Cocos'], CK: ['Pacific/Rarotonga'], CW: ['America/Curacao'],
  CX: ['Indian/Christmas'], EH: ['Africa/El_Aaiun'], FK: ['Atlantic/Stanley'], GI: ['Europe/Gibraltar'],
  GS: ['Atlantic/South_Georgia'], HM: ['Indian/Kerguelen'], IO: ['Indian/Chagos'], MO: ['Asia/Macau'],
  MP: ['Pacific/Saipan'], NF: ['Pacific/Norfolk'], PN: ['Pacific/Pitcairn'], SJ: ['Arctic/Longyearbyen'],
  SX: ['America/Lower_Princes'], TK: ['Pacific/Fakaofo'], VA: ['Europe/Vatican'], VG: ['America/Tortola'],
}

/** A zone as the reference record has it, its standard offset being the smaller of January's and July's. */
function zone(zoneName) {
  const part = (date, timeZoneName) =>
    new Intl.DateTimeFormat('en-US', { timeZone: zoneName, timeZoneName })
      .formatToParts(date)
      .find((piece) => piece.type === 'timeZoneName').value
  const seconds = (date) => {
    const [, sign, hours, minutes = '00'] = part(date, 'longOffset').match(/GMT(?:([+-])(\d\d):?(\d\d)?)?/)
    return sign ? (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60) : 0
  }
  const dates = [new Date('2026-01-15T12:00:00Z'), new Date('2026-07-15T12:00:00Z')]
  const standard = seconds(dates[0]) <= seconds(dates[1]) ? dates[0] : dates[1]
  const offset = part(standard, 'longOffset').replace('GMT', '')
  return {
    zoneName,
    gmtOffset: seconds(standard),
    gmtOffsetName: `UTC${offset || '±00'}`,
    abbreviation: part(standard, 'short'),
    tzName: part(standard, 'long'),
  }
}

const folders = new Map(
  readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => [entry.name.slice(-2), `${data}/${entry.name}/meta.json`]),
)

function timezones(isoCode) {
  const meta = folders.get(isoCode)
  if (!meta || !existsSync(meta)) return ZONES_WITHOUT_FOLDER[isoCode].map(zone)
  return JSON.parse(readFileSync(meta, 'utf8')).timezones.map(
    ({ zoneName, gmtOffset, gmtOffsetName, abbreviation, tzName }) => ({
      zoneName, gmtOffset, gmtOffsetName, abbreviation, tzName,
    }),
  )
}

const records = JSON.parse(readFileSync(`${data}/countries.json`, 'utf8'))
  .map((country) => ({
    name: country.name,
    isoCode: country.iso2,
    flag: country.emoji,
    phonecode: country.phonecode,
    currency: country.currency,
    latitude: country.latitude,
    longitude: country.longitude,
    timezones: timezones(country.iso2),
  }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en'))

const names = records.map((country) => country.name)
if (new Set(names).size !== names.length || names.length < 240 || records.some((record) => !record.timezones.length)) {
  throw new Error(`unexpected country data: ${names.length} names`)
}

const lines = (items) => `[\n${items.map((item) => `  ${JSON.stringify(item)}`).join(',\n')}\n]\n`
writeFileSync(`${root}src/lib/countries.json`, lines(records))
writeFileSync(`${root}src/lib/country-names.json`, lines(names))
writeFileSync(`${root}../services/auth/data/countries.txt`, `${names.join('\n')}\n`)
console.log(`${names.length} countries`)

import fc from 'fast-check';
import { type CountryCode, getCountries, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';
import { describe, expect, it } from 'vitest';

import { times } from '../../../test/modes.js';
import { isValidInternational, isValidNational } from './phone.js';

const isValidByLibrary = (number: string, defaultCountry?: CountryCode) =>
  parsePhoneNumberFromString(number, { defaultCountry, extract: false })?.isValid() ?? false;

const countries = getCountries();
const exampleOf = (country: CountryCode): string => examples[country] ?? '';
const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('0', '1', '2', '3', '4', '5', '6', '7', '8', '9'), minLength, maxLength });

/** Numbers near those of a country: with a prefix, other digits, or of another length. */
const nearly = fc
  .record({
    country: fc.constantFrom(...countries),
    lead: fc.constantFrom('', '', '0', '1', '8', '00', '011', '06', '15'),
    kept: fc.nat(14),
    rest: digits(0, 11),
  })
  .map(({ country, lead, kept, rest }) => {
    const example = exampleOf(country);
    return { country, number: `${lead}${example.slice(0, kept)}${kept % 3 === 0 ? rest : example.slice(kept)}` };
  })
  .filter(({ number }) => number.length > 6);

describe('the validity of phone numbers', () => {
  it('matches the library for an example of each country', () => {
    const numbers = countries.map((country) => getCountryCallingCode(country) + exampleOf(country));
    expect(numbers.filter((number) => !isValidInternational(number))).toEqual([]);
    expect(countries.filter((country) => !isValidNational(exampleOf(country), country))).toEqual([]);
  });

  it('matches the library for almost valid numbers', () => {
    const isSame = ({ country, number }: { country: CountryCode; number: string }): boolean => {
      const code = getCountryCallingCode(country);
      return (
        isValidInternational(code + number) === isValidByLibrary(`+${code}${number}`) &&
        isValidNational(number, country) === isValidByLibrary(number, country) &&
        isValidNational(code + number, country) === isValidByLibrary(code + number, country)
      );
    };
    fc.assert(fc.property(nearly, isSame), times(2_500, 10_000));
  });

  it('matches the library for any digits', () => {
    const isSame = (number: string, country: CountryCode): boolean =>
      isValidInternational(number) === isValidByLibrary(`+${number}`) &&
      isValidNational(number, country) === isValidByLibrary(number, country);
    fc.assert(fc.property(digits(7, 17), fc.constantFrom(...countries), isSame), times(2_500, 10_000));
  });
});

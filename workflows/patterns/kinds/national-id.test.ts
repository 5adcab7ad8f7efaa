import { describe, expect, it } from 'vitest';
import { randomCuts, twoWayCuts, unitCuts } from '../../../src/testing/cuts.js';
import { redactor } from '../../redactor/redactor.js';
import { flushText, nothingPending, pushText } from '../../stream/hold-back.js';
import { combineFinders } from '../combine-finders.js';
import { findersOf } from '../value-kinds.js';
import { idCountries, type IdCountry } from './national-id.js';

/** Sentences with a number that the issuing office, or its page of examples, gives as valid; the number is in braces. */
const sentences: Record<IdCountry, readonly string[]> = {
  AU: ['My TFN is {123 456 782}.', 'tax file number: {123456782}'],
  BE: ['Rijksregister {85.07.30-033.28}, thanks', 'rijksregisternummer {85073003328}'],
  BR: ['CPF {111.444.777-35}', 'cpf: {11144477735}', 'CNPJ {11.222.333/0001-81} ok', 'cnpj {11222333000181}'],
  CA: ['It is {046-454-286}.', 'My SIN: {046 454 286}'],
  CH: ['AHV {756.9217.0769.85}', 'AHV {7569217076985}'],
  DE: [
    'Steuer-ID: {86 095 742 719}',
    'Meine Identifikationsnummer? IdNr. {47036892816}',
    'Rentenversicherungsnummer: {15 070649 C 103}',
    'Versichertennummer ist {A123456780}',
    'Ausweis-Nr. {L01X00T471}',
    'Reisepass: {C01X00T478}',
  ],
  ES: ['DNI {12345678Z}', 'nie {X-1234567-L} si'],
  FR: ['NIR {2 55 08 14 168 025 38}', 'le {255081416802538}'],
  GB: ['NI number {AB 12 34 56 C}', 'NHS number: {943 476 5919}', 'NHS no {9434765919}'],
  IN: ['Aadhaar {2341 2341 2346}', 'aadhaar: {234123412346}', 'PAN {ABCPE1234F}'],
  IT: ['codice fiscale {RSSMRA85T10A562S}', 'cf {rssmra85t10a562s}.'],
  NL: ['BSN {111222333}', 'burgerservicenummer is {1112.22.333}'],
  PL: ['PESEL {44051401359}'],
  SE: ['personnummer {811218-9876}', 'personnummer {19811218-9876}'],
  US: ['ITIN {912-70-1234}', 'Our EIN is {12-3456789}'],
};
const cases = idCountries.flatMap((country) => sentences[country].map((sentence) => ({ country, sentence })));

const byCountries = (countries: readonly IdCountry[]) => ({
  pattern: combineFinders(findersOf(['national-id'], { countries })),
  replace: () => '#',
});
const byCountry = new Map(idCountries.map((country) => [country, byCountries([country])]));
const byAll = byCountries(idCountries);

const redactedBy = (text: string, by = byAll, pieces: readonly string[] = [text]): string => {
  let [held, emitted] = [nothingPending, ''];
  for (const piece of pieces) {
    const pushed = pushText(held, piece, by);
    held = pushed.held;
    emitted += pushed.released;
  }
  return emitted + flushText(held, by);
};

describe('the kind national-id', () => {
  it.each(cases)('$country: finds the number in $sentence regardless of chunk boundaries', ({ country, sentence }) => {
    const text = sentence.replaceAll(/[{}]/g, '');
    const expected = sentence.replace(/\{.*\}/, '#');
    expect(redactedBy(text)).toBe(expected);
    for (const pieces of [...twoWayCuts(text), unitCuts(text), ...randomCuts(text, { count: 100, seed: 5 })])
      expect(redactedBy(text, byCountry.get(country), pieces), JSON.stringify(pieces)).toBe(expected);
    const others = idCountries.filter((other) => other !== country);
    expect(redactedBy(text, byCountries(others))).toBe(text);
    expect(redactedBy(text, byCountries([]))).toBe(text);
  });

  const withoutCheck = new Set([
    'NI number {AB 12 34 56 C}',
    'PAN {ABCPE1234F}',
    'ITIN {912-70-1234}',
    'Our EIN is {12-3456789}',
  ]);
  it.each(cases.filter(({ sentence }) => !withoutCheck.has(sentence)))(
    '$country: passes $sentence with a wrong last character',
    ({ sentence }) => {
      const [before = '', value = '', after = ''] = sentence.split(/[{}]/);
      const last = value.at(-1) ?? '';
      const others = /\d/.test(last) ? '0123456789' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
      const found = Array.from(others).filter((sign) => redactedBy(before + value.slice(0, -1) + sign + after).includes('#'));
      expect(found).toEqual([last.toUpperCase()]);
    },
  );

  it.each([
    'On 2024-05-06 at 12:30 we sold 123 456 789 units for 1.234.567,89 EUR; the call of +49 30 901820 took 111222333 ms.',
    'Order 86095742719, parcel 44051401359, build 20240506-1234, version 12.22.33, part AB123456, commit ab123456c0ffee.',
    'My tin of 46454286 beans, the sin of 1234, ISBN 978-3-16-148410-0, UUID 123e4567-e89b-12d3-a456-426614174000.',
  ])('passes %s', (text) => expect(redactedBy(text)).toBe(text));

  it('rejects an unknown country in the redactor', () => {
    expect(() => redactor({ strategy: 'mask', countries: ['XX' as IdCountry] })).toThrow('redactor.countries.0');
  });
});

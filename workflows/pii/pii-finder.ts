import type { CountryCode } from 'libphonenumber-js/max';
import type { TextSpan } from '../text/text-span.js';

export interface PiiOptions {
  /**
   * The country whose national phone numbers count too, as an ISO 3166-1 code such as `'US'`. Default: none, so that only
   * international numbers (`+44 …`, `0044 …`) are found.
   */
  defaultCountry?: CountryCode;
}

/** Finds one kind of value in a text; its work grows in line with the text. */
export type PiiFinder = (text: string, options: PiiOptions) => TextSpan[];

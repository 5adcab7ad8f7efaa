import base64 from 'validator/es/lib/isBase64.js';
import creditCard from 'validator/es/lib/isCreditCard.js';
import email from 'validator/es/lib/isEmail.js';
import iban, * as ibanFile from 'validator/es/lib/isIBAN.js';
import ip from 'validator/es/lib/isIP.js';
import macAddress from 'validator/es/lib/isMACAddress.js';

/** The used functions of `validator`, each from its own file: the whole package has a hundred more. */
const functionOf = <F>(module: { default: F }): F => module as unknown as F; // its types take these files for CommonJS modules

export const isBase64 = functionOf(base64);
export const isCreditCard = functionOf(creditCard);
export const isEmail = functionOf(email);
export const isIBAN = functionOf(iban);
export const isIP = functionOf(ip);
export const isMACAddress = functionOf(macAddress);

/** The countries that `isIBAN` supports. */
export const { locales: ibanLocales } = ibanFile as unknown as { readonly locales: readonly string[] }; // omitted from its types

import base64 from 'validator/es/lib/isBase64.js';
import creditCard from 'validator/es/lib/isCreditCard.js';
import email from 'validator/es/lib/isEmail.js';
import iban, * as ibanFile from 'validator/es/lib/isIBAN.js';
import ip from 'validator/es/lib/isIP.js';
import macAddress from 'validator/es/lib/isMACAddress.js';

/** The functions of `validator` that kinds of values use, each from its own file: the package as a whole has a hundred more. */
const functionOf = <F>(module: { default: F }): F => module as unknown as F; // its types take the files of modules for CommonJS

export const isBase64 = functionOf(base64);
export const isCreditCard = functionOf(creditCard);
export const isEmail = functionOf(email);
export const isIBAN = functionOf(iban);
export const isIP = functionOf(ip);
export const isMACAddress = functionOf(macAddress);

/** The countries whose numbers `isIBAN` knows. */
export const { locales: ibanLocales } = ibanFile as unknown as { readonly locales: readonly string[] }; // its types leave it out

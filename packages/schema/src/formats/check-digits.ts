/** Numbers whose last digit tells whether the others were copied right. */

const CREDIT_CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

const digitsOf = (text: string): number[] => [...text].map(Number);

/** Digits are doubled every other place from the end, and the digits of the results are added up. */
export const isCreditCard = (text: string): boolean => {
  const number = text.replace(/\D+/g, '');
  if (!CREDIT_CARD.test(number)) return false;
  const sum = digitsOf(number)
    .reverse()
    .map((digit, place) => (place % 2 === 0 ? digit : digit * 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return sum % 10 === 0;
};

const withoutSeparators = (text: string): string => text.replace(/[\s-]+/g, '');

export const isIsbn10 = (text: string): boolean => {
  const number = withoutSeparators(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(number)) return false;
  const sum = [...number]
    .map((char) => (char === 'X' ? 10 : Number(char)))
    .reduce((total, digit, place) => total + digit * (place + 1), 0);
  return sum % 11 === 0;
};

export const isIsbn13 = (text: string): boolean => {
  const number = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(number)) return false;
  const sum = digitsOf(number).reduce(
    (total, digit, place) => total + digit * (place % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
};

import { isPlainTime } from '../values/time.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME_OF_DAY = /^(\d{2}):(\d{2}):(\d{2})(?:[.,]\d+)?(?:z|[+-]\d{2}:\d{2})$/;

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** A day, such as 2026-01-31. */
export const isDate = (text: string): boolean => {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
};

/** A moment in RFC 3339, in capital or small letters. */
export const isDateTime = (text: string): boolean => {
  if (isPlainTime(text)) return true;
  const [date = '', time = '', ...rest] = text.toLowerCase().split('t');
  if (rest.length > 0 || !isDate(date)) return false;
  const [, hour = '99', minute = '99', second = '99'] = TIME_OF_DAY.exec(time) ?? [];
  return hour <= '23' && minute <= '59' && second <= '59';
};

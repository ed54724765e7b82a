import { badRequest } from '../status/request-refusals.ts';

export const flag = (query: URLSearchParams, name: string): boolean | undefined => {
  const text = query.get(name);
  if (text === null) return undefined;
  return text.toLowerCase() !== 'false' && text !== '0';
};

export const count = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (/^[+-]?[0-9]{1,15}$/.test(text)) return Number(text);
  const why = /^[+-]?[0-9]+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
};

export const text = (query: URLSearchParams, name: string): string | undefined =>
  query.get(name) || undefined;

export const isWatch = (query: URLSearchParams): boolean => flag(query, 'watch') === true;

/** A media type with its parameters: `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export interface MediaType {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const PARAMETER =
  /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*$/;

/** Reads the value of a Content-Type header; undefined if it is not a media type. */
export const parseMediaType = (header: string): MediaType | undefined => {
  const [essence = '', ...rest] = header.split(';');
  const type = essence.trim().toLowerCase();
  if (type === '' || !type.split('/').every((part) => TOKEN.test(part))) return undefined;
  const parameters = new Map<string, string>();
  for (const [index, text] of rest.entries()) {
    if (text.trim() === '' && index === rest.length - 1) continue;
    const [, name, value] = PARAMETER.exec(text) ?? [];
    if (name === undefined || value === undefined) return undefined;
    parameters.set(name.toLowerCase(), value.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1'));
  }
  return { type, parameters };
};

/** One alternative of an Accept header. */
export interface AcceptClause extends MediaType {
  readonly quality: number;
}

const qualityOf = (text: string | undefined): number => {
  if (text === undefined) return 1;
  const quality = Number(text);
  return Number.isNaN(quality) ? 0 : quality;
};

const isWild = ({ type }: MediaType): number =>
  Number(type.startsWith('*/')) + Number(type.endsWith('/*'));

/** The alternatives of an Accept header, the ones to try first in front. What makes no sense is left out. */
export const parseAccept = (header: string): readonly AcceptClause[] => {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const [type = '', ...rest] = part.split(';').map((text) => text.trim());
    if (type === '') continue;
    const pairs = rest.map((text) => text.split('=', 2).map((side) => side.trim()));
    const parameters = new Map(pairs.map(([name = '', value = '']) => [name, value]));
    const quality = qualityOf(parameters.get('q'));
    parameters.delete('q');
    clauses.push({ type, parameters, quality });
  }
  return clauses.sort((a, b) => b.quality - a.quality || isWild(a) - isWild(b));
};

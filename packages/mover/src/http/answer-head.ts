import type { IncomingHttpHeaders } from 'node:http';

/** Status line and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of the body. */
  readonly length: number;
  /** The connection can be used again. */
  readonly isKept: boolean;
}

const STATUS = /^HTTP\/1\.1 (\d{3})(?: |$)/;
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)$/;
const LENGTH = /^\d{1,15}$/;

/**
 * Reads the head of an answer whose body has a known length. Undefined for all others: a body
 * in chunks, an older version, a second length, what is no HTTP at all. The full client has to read that.
 */
export const answerHeadOf = (text: string): AnswerHead | undefined => {
  const [first = '', ...lines] = text.split('\r\n');
  const status = Number(STATUS.exec(first)?.[1]);
  if (!(status >= 200) || status === 204 || status === 304) return undefined;
  const headers: { [name: string]: string } = Object.create(null);
  for (const line of lines) {
    const [, name = '', value = ''] = FIELD.exec(line) ?? [];
    if (name === '') return undefined;
    const key = name.toLowerCase();
    // Other fields may come twice; the first of them counts, as with the full client.
    if (key in headers && key === 'content-length') return undefined;
    headers[key] ??= value.trimEnd();
  }
  const length = headers['content-length'] ?? '';
  if (!LENGTH.test(length) || headers['transfer-encoding'] !== undefined) return undefined;
  const isKept = (headers.connection ?? 'keep-alive').toLowerCase() === 'keep-alive';
  return { status, headers, length: Number(length), isKept };
};

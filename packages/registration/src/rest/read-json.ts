import { parseExactJson } from '@perigee/schema/exact-json';
import type { JsonValue } from '@perigee/schema/json';
import { RestError } from '../errors.ts';
import { headerOf, type RestRequest } from './exchange.ts';

const JSON_TYPE = 'application/json';

/** A body without Content-Type is taken as JSON. */
const requireJson = (request: RestRequest): void => {
  const contentType = headerOf(request, 'content-type');
  const [type = ''] = (contentType ?? JSON_TYPE).split(';');
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (type.trim().toLowerCase() === JSON_TYPE && encoding === 'identity') return;
  const what =
    encoding === 'identity' ? `Content-Type ${contentType}` : `Content-Encoding ${encoding}`;
  throw new RestError(415, {
    reason: 'UnsupportedMediaType',
    detail: `the body must be plain ${JSON_TYPE}, not ${what}: send the header "Content-Type: ${JSON_TYPE}"`,
    headers: { 'accept-post': JSON_TYPE },
  });
};

const malformed = (why: string): RestError =>
  new RestError(400, {
    reason: 'Malformed',
    detail: `the body is no JSON: ${why}`,
    errors: [{ field: 'body', detail: why }],
  });

const TYPOGRAPHIC = /[“”]/;

/** Reads and parses the body. */
export const readJson = async (request: RestRequest): Promise<JsonValue> => {
  requireJson(request);
  const bytes = await request.body();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('it is not UTF-8');
  }
  if (text.trim() === '') throw malformed('it is empty');
  try {
    return parseExactJson(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw malformed(
      TYPOGRAPHIC.test(text) ? `${why}; names and texts need straight quotes (")` : why,
    );
  }
};

import type { JsonObject } from '@perigee/schema/json';
import type { Stored } from './ledger.ts';

/** The server went away before it had answered: nobody knows what became of the request. */
export class Unanswered extends Error {}

export interface Answer {
  readonly code: number;
  readonly body: JsonObject;
}

export const call = async (
  url: string,
  method: string,
  path: string,
  body?: JsonObject,
  contentType = 'application/json',
): Promise<Answer> => {
  const headers = { 'content-type': contentType };
  try {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    });
    return { code: response.status, body: (await response.json()) as JsonObject };
  } catch (cause) {
    throw new Unanswered(`${method} ${path}`, { cause });
  }
};

/** All objects of a collection, and the revision that they are the state of. */
export const list = async (url: string, collection: string) => {
  const { code, body } = await call(url, 'GET', collection);
  if (code !== 200) throw new Error(`${collection} was answered with ${code}`);
  const { resourceVersion } = body.metadata as { readonly resourceVersion: string };
  const { apiVersion, kind } = body as { readonly apiVersion: string; readonly kind: string };
  const itemKind = { apiVersion, kind: kind.replace(/List$/, '') };
  const objects = (body.items as readonly Stored[]).map((item) => ({ ...itemKind, ...item }));
  return { revision: Number(resourceVersion), objects };
};

import { badRequest } from '../status/request-refusals.ts';

/** Position at which a list continues: a revision, and the key before. */
export interface ContinueToken {
  /** Undefined: the newest, because the revision of the first page is no longer kept. */
  readonly revision: number | undefined;
  readonly after: string;
}

const VERSION = 'meta.k8s.io/v1';
const NEWEST = -1;

export const formatContinue = ({ revision = NEWEST, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: after })).toString('base64url');

const notValid = (why: string): Error =>
  badRequest(`invalid continue token: continue key is not valid: ${why}`);

const read = (text: string): { v?: unknown; rv?: unknown; start?: unknown } => {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) ?? {};
  } catch {
    throw notValid('it is not one of this server');
  }
};

export const parseContinue = (text: string): ContinueToken => {
  const { v, rv, start } = read(text);
  if (v !== VERSION) throw notValid(`server does not recognize this encoded version ${v}`);
  if (!Number.isSafeInteger(rv) || rv === 0) {
    throw notValid(`incorrect encoded start resourceVersion (version ${VERSION})`);
  }
  if (typeof start !== 'string' || start === '') {
    throw notValid(`encoded start key is empty (version ${VERSION})`);
  }
  return { revision: rv === NEWEST ? undefined : Number(rv), after: start };
};

import { present } from '@perigee/schema/present';

/** Makes any value fit for a line of log. */
export type LogFields = { readonly [name: string]: unknown };

const REDACTED = '[redacted]';

/** Names of fields that hold a secret, such as `bearerToken`, `client-key-data` or `Authorization`. */
const SECRET_NAME =
  /(?:token|password|passwd|passphrase|authorization|cookie|secret|credentials?|private[-_]?key|api[-_]?key|[-_]data|keyData)$/i;

/** Credentials inside texts: of a header, and of a URL. */
const SECRET_TEXT = /\b(Bearer|Basic)\s+[\w.~+/=-]+|(\w:\/\/)[^\s/@]+@/gi;

const withoutSecrets = (text: string): string =>
  text.replace(SECRET_TEXT, (_, scheme?: string, protocol?: string) =>
    scheme === undefined ? `${protocol}${REDACTED}@` : `${scheme} ${REDACTED}`,
  );

/** Deeper than this, nobody reads a log. */
const MOST_LEVELS = 8;

type Ancestors = readonly object[];

/** The stack begins with the message, which is in the line already. */
const framesOf = (stack: string): string => {
  const start = stack.indexOf('\n    at ');
  return start < 0 ? '' : stack.slice(start + 1);
};

const ofError = (error: Error, ancestors: Ancestors): LogFields => {
  const { name, message, stack, cause, ...others } = error;
  return {
    name,
    message: withoutSecrets(message),
    ...ofFields(others, ancestors),
    ...present({
      errors: error instanceof AggregateError ? ofValue(error.errors, ancestors) : undefined,
      cause: cause === undefined ? undefined : ofValue(cause, ancestors),
      stack: stack === undefined ? undefined : framesOf(stack),
    }),
  };
};

const ofFields = (fields: object, ancestors: Ancestors): LogFields => {
  const isSecret = 'kind' in fields && fields.kind === 'Secret';
  const result: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(fields)) {
    const hides = isSecret && (name === 'data' || name === 'stringData');
    const loggable = hides ? REDACTED : ofValue(value, ancestors, name);
    if (loggable !== undefined) result[name] = loggable;
  }
  return result;
};

const ofObject = (value: object, ancestors: Ancestors): unknown => {
  if (ancestors.includes(value)) return '[circular]';
  if (ancestors.length >= MOST_LEVELS) return '[deep]';
  const inside = [...ancestors, value];
  if (value instanceof Error) return ofError(value, inside);
  if (value instanceof Date || value instanceof URL) return withoutSecrets(`${value.toJSON()}`);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return ofFields(Object.fromEntries(value), inside);
  if (Array.isArray(value) || value instanceof Set) {
    return Array.from(value, (item) => ofValue(item, inside) ?? null);
  }
  return ofFields(value, inside);
};

const ofValue = (value: unknown, ancestors: Ancestors, name = ''): unknown => {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    return undefined;
  }
  if (value === null || typeof value === 'boolean') return value;
  if (SECRET_NAME.test(name)) return REDACTED;
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value === 'object') return ofObject(value, ancestors);
  return Number.isFinite(value) ? value : String(value);
};

/** The value as plain JSON, without secrets; undefined when nothing remains. */
export const toLoggable = (value: unknown, name?: string): unknown => ofValue(value, [], name);

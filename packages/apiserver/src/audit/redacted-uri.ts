/** Query parameters with credentials, by parts of their names. */
const CONFIDENTIAL =
  /token|secret|passw|authorization|bearer|credential|session|signature|api[-_.]?key|jwt|^auth$|^sig$/;
const PLAIN_NAME = /^[\w.-]{1,64}$/;
/** A JSON Web Token, in any parameter. It starts at a word boundary, so that each is matched once. */
const WEB_TOKEN = /(?<![\w-])eyJ[\w-]+\.[\w-]/;
const REDACTED = 'REDACTED';

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};

const redactedParameter = (parameter: string): string => {
  const at = parameter.indexOf('=');
  const name = at < 0 ? parameter : parameter.slice(0, at);
  const plain = decode(name).trim();
  const isConfidential = CONFIDENTIAL.test(plain.toLowerCase());
  if (!isConfidential && !WEB_TOKEN.test(decode(parameter))) return parameter;
  // Without a value, the name itself may be the secret.
  return at >= 0 && isConfidential && PLAIN_NAME.test(plain) && !WEB_TOKEN.test(plain)
    ? `${name}=${REDACTED}`
    : REDACTED;
};

/** The target of a request without secrets, for logs, which have other readers than the API. */
export const redactedUri = (target: string): string => {
  const plain = target.replace(/^(https?:\/\/)[^/?#]*@/i, `$1${REDACTED}@`);
  const at = plain.search(/[?#]/);
  if (at < 0) return plain;
  const query = plain
    .slice(at + 1)
    .split(/([&;#?])/)
    .map((part, index) => (index % 2 === 1 ? part : redactedParameter(part)))
    .join('');
  return plain.slice(0, at + 1) + query;
};

import { exactIntegerOf } from '@perigee/schema/exact-json';
import { YamlError } from '../errors.ts';

export type YamlScalar = string | number | bigint | boolean | null;

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUE = /^(?:y|Y|yes|Yes|YES|on|On|ON|true|True|TRUE)$/;
const FALSE = /^(?:n|N|no|No|NO|off|Off|OFF|false|False|FALSE)$/;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NOT_A_NUMBER = /^\.(?:nan|NaN|NAN)$/;
const NUMBER_START = /^[-+.0-9]/;
const WHOLE = /^([-+]?)(0x[0-9a-fA-F]+|0b[01]+|0o?[0-7]+|0|[1-9][0-9]*)$/;
const OCTAL = /^0o?(?=[0-7])/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Reads a scalar without quotes by the rules of YAML 1.1 as Kubernetes has them: dates are strings. */
export const resolvePlain = (source: string): YamlScalar => {
  if (NULLS.has(source)) return null;
  if (TRUE.test(source)) return true;
  if (FALSE.test(source)) return false;
  if (!NUMBER_START.test(source)) return source;
  const infinite = INFINITE.exec(source);
  if (infinite) return infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (NOT_A_NUMBER.test(source)) return Number.NaN;
  const text = source.replaceAll('_', '');
  const whole = WHOLE.exec(text);
  if (whole) return exactIntegerOf((whole[2] ?? '0').replace(OCTAL, '0o'), whole[1] === '-');
  return FLOAT.test(text) ? Number(text) : source;
};

const cannotDecode = (source: string, tag: string): YamlError =>
  new YamlError(`yaml: cannot decode !!str \`${source}\` as a !!${tag}`);

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads a scalar with a tag, such as `!!str 5`. */
export const resolveTagged = (source: string, tag: string): YamlScalar => {
  const plain = resolvePlain(source);
  switch (tag) {
    case 'tag:yaml.org,2002:int':
      if (typeof plain !== 'number' && typeof plain !== 'bigint') throw cannotDecode(source, 'int');
      return plain;
    case 'tag:yaml.org,2002:float':
      if (typeof plain !== 'number' && typeof plain !== 'bigint') {
        throw cannotDecode(source, 'float');
      }
      return Number(plain);
    case 'tag:yaml.org,2002:bool':
      if (typeof plain !== 'boolean') throw cannotDecode(source, 'bool');
      return plain;
    case 'tag:yaml.org,2002:null':
      if (plain !== null) throw cannotDecode(source, 'null');
      return null;
    case 'tag:yaml.org,2002:binary': {
      const encoded = source.replace(/\s/g, '');
      if (BASE64.test(encoded)) return Buffer.from(encoded, 'base64').toString('utf8');
      throw new YamlError('yaml: !!binary value contains invalid base64 data');
    }
    default:
      return source;
  }
};

import { InvalidObjectError } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import type { Kind } from '@perigee/api/kind/define-kind';
import { normalise } from '@perigee/api/kind/normalise';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { compileDecoder, type Decoder } from '@perigee/api/schema/decode';
import { metaOf } from '../registry/metadata.ts';
import type { ServedResource, Strategy } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';

const keyOf = ({ group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>): string =>
  `${group}/${version}/${plural}`;

const KINDS = new Map(allKinds.map((kind) => [keyOf(kind), kind]));

const canonicalForm = (kind: Kind, strategy: Strategy): NonNullable<Strategy['prepare']> => {
  let decode: Decoder | undefined;
  return (object, old) => {
    decode ??= compileDecoder(kind.schema);
    const prepared: JsonObject = strategy.prepare?.(object, old) ?? object;
    try {
      return decode(normalise(kind, prepared, old)).value;
    } catch (error) {
      if (!(error instanceof InvalidObjectError)) throw error;
      throw invalidObject(kind, metaOf(object).name ?? '', error.errors);
    }
  };
};

/**
 * Gives the kinds of the language what a definition cannot say: whatever spelling comes in, the
 * canonical one is stored. Other resources stay as they are.
 */
export const withKindAdmission = (resource: ServedResource): ServedResource => {
  const kind = KINDS.get(keyOf(resource));
  if (kind === undefined) return resource;
  const { strategy } = resource;
  return { ...resource, strategy: { ...strategy, prepare: canonicalForm(kind, strategy) } };
};

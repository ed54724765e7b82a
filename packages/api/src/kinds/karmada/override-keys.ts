import { type FieldError, InvalidObjectError, invalid } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import { checkQualifiedName } from '../../values/names.ts';
import { objectAt } from './reshape.ts';

const entriesOf = (value: JsonValue | undefined): [number, JsonObject][] =>
  Array.isArray(value)
    ? [...value.entries()].filter((entry): entry is [number, JsonObject] => isJsonObject(entry[1]))
    : [];

const wrongKeys = (overriders: JsonObject | undefined, at: string): FieldError[] =>
  ['labelsOverrider', 'annotationsOverrider'].flatMap((list) =>
    entriesOf(overriders?.[list]).flatMap(([index, overrider]) =>
      Object.keys(objectAt(overrider, 'value') ?? {}).flatMap((key) =>
        // Unlike those of labels, the prefixes of annotations may have capitals.
        checkQualifiedName(list === 'labelsOverrider' ? key : key.toLowerCase()).map((problem) =>
          invalid(`${at}.${list}[${index}].value`, key, problem),
        ),
      ),
    ),
  );

/**
 * Refuses labels and annotations that no member cluster would accept. A schema cannot check the
 * keys of a map, and a CEL rule over keys of unknown length costs more than a server allows.
 */
export const assertOverrideKeys = (policy: JsonObject): JsonObject => {
  const spec = objectAt(policy, 'spec');
  const errors = [
    ...entriesOf(spec?.overrideRules).flatMap(([index, rule]) =>
      wrongKeys(objectAt(rule, 'overriders'), `spec.overrideRules[${index}].overriders`),
    ),
    ...wrongKeys(objectAt(spec, 'overriders'), 'spec.overriders'),
  ];
  if (errors.length > 0) throw new InvalidObjectError(errors);
  return policy;
};

import { anything, list, map, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { labelValue } from './label-syntax.ts';
import { MAX_OVERRIDERS } from './limits.ts';

const jsonPointer = (description: string) => string(description, { pattern: '^(/|$)' });

const editOperator = () =>
  oneOf('Whether to add, remove or replace.', ['add', 'remove', 'replace']);

const plaintext = () =>
  object('A change of one field, as JSON Patch makes it.', {
    path: string('The field, as a JSON pointer such as /spec/replicas.'),
    operator: editOperator(),
    value: optional(anything('The new value; none for remove.')),
  });

const imageOverrider = () =>
  check(
    object('A change of a part of container images.', {
      predicate: optional(
        object('Which image is changed; those of all containers when left out.', {
          path: jsonPointer(
            'The field that holds the image, as a JSON pointer such as /spec/template/spec/containers/0/image.',
          ),
        }),
      ),
      component: oneOf('The part of registry/repository:tag that is changed.', [
        'Registry',
        'Repository',
        'Tag',
      ]),
      operator: editOperator(),
      value: optional(
        string('The new part; none for remove. A tag may also be an @sha256 digest.'),
      ),
    }),
    {
      rule: "self.operator == 'remove' || (has(self.value) && self.value != '')",
      message: 'add and replace need a value',
      reason: 'FieldValueRequired',
      fieldPath: '.value',
    },
  );

const commandOverrider = () =>
  object('A change of the words that start a container.', {
    containerName: string('The name of the container.'),
    operator: oneOf('Whether to append the words or to remove them.', ['add', 'remove']),
    value: optional(list('The words.', string('A word.'))),
  });

const labelsOverrider = () =>
  object('A change of labels.', {
    operator: editOperator(),
    value: map(
      'The labels; remove looks at the keys, and replace leaves alone what is not there.',
      labelValue('The value of a label.'),
    ),
  });

const annotationsOverrider = () =>
  object('A change of annotations.', {
    operator: editOperator(),
    value: map(
      'The annotations; remove looks at the keys, and replace leaves alone what is not there.',
      string('The value of an annotation.'),
    ),
  });

const documentOperation = () =>
  object('A change within the document.', {
    subPath: jsonPointer('The place within the document, as a JSON pointer.'),
    operator: editOperator(),
    value: optional(anything('The new value, for add and replace only.')),
  });

const fieldOverrider = () =>
  check(
    object('A change within a field that holds a whole document, as in a ConfigMap.', {
      fieldPath: jsonPointer('The field, as a JSON pointer such as /data/config.yaml.'),
      json: optional(list('Changes of a JSON document.', documentOperation())),
      yaml: optional(list('Changes of a YAML document.', documentOperation())),
    }),
    {
      rule: '(has(self.json) && size(self.json) > 0) != (has(self.yaml) && size(self.yaml) > 0)',
      message: 'give changes for either json or yaml',
    },
  );

const limited = { maxItems: MAX_OVERRIDERS };

/** Changes made to an object on its way to a cluster, in the order of the fields below. */
export const overriders = (description: string) =>
  object(description, {
    imageOverrider: optional(
      list('Changes of container images; made first.', imageOverrider(), limited),
    ),
    commandOverrider: optional(
      list('Changes of the commands of containers; made second.', commandOverrider()),
    ),
    argsOverrider: optional(
      list('Changes of the arguments of containers; made third.', commandOverrider()),
    ),
    labelsOverrider: optional(list('Changes of labels; made fourth.', labelsOverrider())),
    annotationsOverrider: optional(
      list('Changes of annotations; made fifth.', annotationsOverrider()),
    ),
    fieldOverrider: optional(
      list(
        'Changes within documents that a field holds, as in a ConfigMap; made sixth.',
        fieldOverrider(),
        limited,
      ),
    ),
    plaintext: optional(
      list('Changes of any field, as JSON Patch makes them; made last.', plaintext()),
    ),
  });

export type Overriders = StoredOf<ReturnType<typeof overriders>>;
export type ImageOverrider = StoredOf<ReturnType<typeof imageOverrider>>;
export type CommandArgsOverrider = StoredOf<ReturnType<typeof commandOverrider>>;
export type LabelAnnotationOverrider = StoredOf<ReturnType<typeof annotationsOverrider>>;
export type FieldOverrider = StoredOf<ReturnType<typeof fieldOverrider>>;
export type PlaintextOverrider = StoredOf<ReturnType<typeof plaintext>>;

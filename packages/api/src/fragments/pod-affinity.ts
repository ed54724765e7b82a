import { int32, list, object, oneOf, open, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';
import { labelSelector } from './fragments.ts';

/** Conditions on labels or fields; all of them must hold. */
const nodeSelectorRequirements = (description: string) =>
  list(
    description,
    object('A condition on one label or field.', {
      key: string('The label or field.', { minLength: 1 }),
      operator: oneOf('How it relates to the values.', [
        'In',
        'NotIn',
        'Exists',
        'DoesNotExist',
        'Gt',
        'Lt',
      ]),
      values: optional(
        list(
          'The values: some for In and NotIn, none for Exists and DoesNotExist, one integer for Gt and Lt.',
          string('A value.'),
        ),
      ),
    }),
  );

const nodeSelectorTerm = (description: string) =>
  object(description, {
    matchExpressions: optional(nodeSelectorRequirements('Conditions on labels.')),
    matchFields: optional(nodeSelectorRequirements('Conditions on fields, such as metadata.name.')),
  });

/** Terms of which one must hold. */
const nodeSelectorTerms = (description: string) =>
  list(
    description,
    nodeSelectorTerm('Conditions that must hold together; a term without any matches nothing.'),
    { minItems: 1 },
  );

export const nodeSelector = (description: string) =>
  object(description, { nodeSelectorTerms: nodeSelectorTerms('Terms of which one must hold.') });

const weight = () => int32('How much it counts, from 1 to 100.', { minimum: 1, maximum: 100 });

export const nodeAffinity = (description: string) =>
  object(description, {
    requiredDuringSchedulingIgnoredDuringExecution: optional(
      nodeSelector('The nodes that are allowed.'),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      list(
        'The nodes that are preferred.',
        object('A preference.', {
          weight: weight(),
          preference: nodeSelectorTerm('The nodes that this preference is for.'),
        }),
      ),
    ),
  });

const podAffinityTerm = (description: string) =>
  open(
    object(description, {
      topologyKey: string('The node label whose value makes two nodes the same place.', {
        minLength: 1,
      }),
      labelSelector: optional(labelSelector('The pods that are meant.')),
      namespaces: optional(
        list(
          'The namespaces of those pods; the pod’s own when left out.',
          string('The name of a namespace.'),
        ),
      ),
      namespaceSelector: optional(labelSelector('Further namespaces, by their labels.')),
    }),
  );

const podAffinity = (description: string) =>
  object(description, {
    requiredDuringSchedulingIgnoredDuringExecution: optional(
      list('Rules that must hold.', podAffinityTerm('A rule.')),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      list(
        'Rules that should hold.',
        object('A preference.', { weight: weight(), podAffinityTerm: podAffinityTerm('A rule.') }),
      ),
    ),
  });

export const affinity = (description: string) =>
  object(description, {
    nodeAffinity: optional(nodeAffinity('Which nodes a pod may or should run on.')),
    podAffinity: optional(podAffinity('Which pods a pod must or should be near to.')),
    podAntiAffinity: optional(podAffinity('Which pods a pod must or should be away from.')),
  });

export type NodeSelectorRequirement = StoredOf<ReturnType<typeof nodeSelectorRequirements>>[number];
export type NodeSelector = StoredOf<ReturnType<typeof nodeSelector>>;
export type NodeAffinity = StoredOf<ReturnType<typeof nodeAffinity>>;
export type Affinity = StoredOf<ReturnType<typeof affinity>>;

import { list, object, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';

const MAX_ENTRIES = 64;

const path = (description: string) =>
  string(`${description} A path such as .spec.size.`, {
    maxLength: 256,
    pattern: '^(\\.[A-Za-z0-9_-]+)+$',
  });

const paths = (description: string) =>
  list(description, path('A field.'), { maxItems: MAX_ENTRIES });

const words = (description: string, word: string) =>
  list(description, string(word, { maxLength: 256 }), { maxItems: MAX_ENTRIES });

/** Upstream has scripts for these, which are not run here: they are refused instead of ignored. */
const withoutScripts = <F extends Parameters<typeof object>[1]>(description: string, fields: F) =>
  check(
    object(description, {
      ...fields,
      luaScript: optional(string('Has no place here: scripts are not run. Say it by the fields.')),
    }),
    {
      rule: '!has(self.luaScript)',
      message: 'scripts are not run here; say the same by the other fields',
      fieldPath: '.luaScript',
    },
  );

const component = () =>
  object('One kind of pods.', {
    name: string('The name of the component.', { minLength: 1, maxLength: 32 }),
    replicas: optional(path('The field that says how many; 1 when left out.')),
    podTemplate: path('The field that holds the template of the pods.'),
  });

const customizations = () =>
  object('What is known about the kind; what is left out stays unknown.', {
    replicaResource: optional(
      withoutScripts('How many replicas it wants, and what each needs.', {
        replicas: path('The field that says how many.'),
        podTemplate: optional(path('The field that holds the template of the pods.')),
      }),
    ),
    componentResource: optional(
      withoutScripts('The kinds of pods of work that has several.', {
        components: list('The kinds of pods.', component(), { maxItems: MAX_ENTRIES }),
      }),
    ),
    replicaRevision: optional(
      withoutScripts('How a cluster gets a part of the replicas.', {
        replicas: path('The field to set.'),
      }),
    ),
    retention: optional(
      withoutScripts('What the member cluster decides.', {
        fields: paths('The fields that are left as the cluster has them.'),
      }),
    ),
    statusReflection: optional(
      withoutScripts('What is reported back of the status.', {
        fields: words('The fields of the status; all of it when left out.', 'A field.'),
      }),
    ),
    statusAggregation: optional(
      withoutScripts('How the status of several clusters becomes one.', {
        sum: words('The fields of the status that are added up.', 'A field.'),
      }),
    ),
    healthInterpretation: optional(
      withoutScripts('When it is healthy: when all that is given here holds.', {
        field: optional(path('A field that tells the state.')),
        values: optional(words('The states that are healthy.', 'A state.')),
        conditions: optional(words('The conditions that must be True.', 'A type of condition.')),
      }),
    ),
    dependencyInterpretation: optional(
      withoutScripts('What it depends on.', {
        podTemplates: paths('The fields that hold templates of pods, which name what they need.'),
      }),
    ),
  });

export const ResourceInterpreterCustomization = defineKind({
  group: 'config.karmada.io',
  version: 'v1alpha1',
  kind: 'ResourceInterpreterCustomization',
  plural: 'resourceinterpretercustomizations',
  scope: 'Cluster',
  shortNames: ['ric'],
  categories: ['karmada-io'],
  doc: 'Tells what a kind of workload means that is not known here: its replicas, health, status and dependencies.',
  spec: object('What is told about which kind.', {
    target: object('The kind.', {
      apiVersion: string('The API version of the kind, such as example.com/v1.', { minLength: 1 }),
      kind: string('The kind, such as Training.', { minLength: 1 }),
    }),
    customizations: customizations(),
  }),
});
export type ResourceInterpreterCustomization = StoredObjectOf<
  typeof ResourceInterpreterCustomization
>;
export type ResourceInterpreterCustomizationWritten = WrittenObjectOf<
  typeof ResourceInterpreterCustomization
>;
export type Customizations = StoredOf<ReturnType<typeof customizations>>;

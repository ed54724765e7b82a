import { list, object, oneOf, string } from '@perigee/schema/structural/builder';
import { check, optional, withDefault } from '@perigee/schema/structural/schema';
import { podSpec } from '../../fragments/pod.ts';
import { envVars } from '../../fragments/pod-containers.ts';
import { resourceRequirements } from '../../fragments/pod-resources.ts';
import { volumeMounts, volumes } from '../../fragments/pod-volumes.ts';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { mountConflicts } from './mount-conflicts.ts';
import {
  cancelIsForGood,
  cronNeedsSchedule,
  flowFields,
  imageFields,
  podMetadata,
  scheduleFields,
  targetDatasetFields,
} from './operation-fragments.ts';
import {
  datasetInOwnNamespace,
  operationNormaliser,
  operationSpellings,
} from './operation-normalise.ts';
import {
  afterColumn,
  durationColumn,
  operationStatus,
  phaseColumn,
  policyColumns,
} from './operation-status.ts';
import { canonicalProcessor } from './processor-spellings.ts';
import { product } from './product.ts';

const job = () =>
  object('A pod of your own making, run to its end.', {
    podSpec: check(
      podSpec('What the pod runs. The dataset is mounted into every container of it.'),
      {
        rule: "!has(self.restartPolicy) || self.restartPolicy != 'Always'",
        message: 'a pod that shall end needs the restart policy Never or OnFailure',
        fieldPath: '.restartPolicy',
      },
    ),
  });

const script = () =>
  object('A script, run in a container of an image.', {
    ...imageFields,
    restartPolicy: withDefault(
      'Never',
      oneOf('Whether the container is started again when the script fails.', [
        'Never',
        'OnFailure',
      ]),
    ),
    command: optional(
      list(
        'The interpreter, such as sh, bash or python3: it gets the path of the script. The entry point of the image when left out; sh for a script written as processor.shell.',
        string('A word.'),
      ),
    ),
    source: string('The text of the script.'),
    env: optional(envVars('The environment variables.')),
    volumes: optional(volumes('The volumes that the container can mount.')),
    volumeMounts: optional(volumeMounts('Where those volumes appear.')),
    resources: optional(resourceRequirements('What the container asks for and may use.')),
  });

export const DataProcess = defineKind({
  group: 'data.fluid.io',
  version: 'v1alpha1',
  kind: 'DataProcess',
  plural: 'dataprocesses',
  scope: 'Namespaced',
  shortNames: ['process'],
  categories: ['fluid'],
  doc: 'Runs your own code on a dataset: a script, or a pod.',
  spec: check(
    object('What to run on which dataset, and when.', {
      dataset: object('The dataset to work on.', {
        ...targetDatasetFields,
        mountPath: string('Where the dataset appears in the containers; empty to not mount it.'),
        subPath: optional(string('The part of the dataset to mount; all of it when left out.')),
      }),
      processor: check(
        object('What to run: either a job or a script.', {
          serviceAccountName: optional(string('The service account that the pod acts as.')),
          podMetadata: optional(podMetadata('Labels and annotations of the pod.')),
          job: optional(job()),
          script: optional(script()),
        }),
        {
          rule: 'has(self.job) || has(self.script)',
          message: 'there is nothing to run: give exactly one of job and script',
          reason: 'FieldValueRequired',
        },
        {
          rule: '!has(self.job) || !has(self.script)',
          message: 'job and script exclude each other: give exactly one of job and script',
        },
      ),
      produces: optional(
        list(
          'What the operation makes. Each part is registered as data of the clusters that it ran in, once it is complete.',
          product(),
          { maxItems: 64 },
        ),
      ),
      ...scheduleFields,
      ...flowFields,
    }),
    cronNeedsSchedule,
    cancelIsForGood,
  ),
  status: operationStatus(),
  columns: [
    { name: 'Dataset', type: 'string', path: '.spec.dataset.name', doc: 'The dataset.' },
    phaseColumn,
    durationColumn,
    afterColumn,
    ...policyColumns,
  ],
  otherSpellings: operationSpellings,
  movedFields: {
    'spec.job': 'It belongs in processor.job: template.spec becomes podSpec.',
    'spec.processor.job.template': 'Its spec becomes podSpec, its metadata processor.podMetadata.',
    'spec.processor.shell': 'It becomes script: scrip or script is its source, sh its command.',
    'spec.processor.image': 'It becomes script.image and script.imageTag.',
  },
  normalise: operationNormaliser('DataProcess', (spec, context) => {
    const canonical = canonicalProcessor(spec, context.old, context.errors);
    context.errors.push(...mountConflicts(canonical));
    return datasetInOwnNamespace(canonical, context);
  }),
});
export type DataProcess = StoredObjectOf<typeof DataProcess>;
export type DataProcessWritten = WrittenObjectOf<typeof DataProcess>;

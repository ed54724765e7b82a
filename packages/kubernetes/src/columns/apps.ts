import { age, containerColumns, integer, selectorColumn, text, wide } from './column.ts';
import { at, countAt, listAt, textAt } from './fields.ts';
import { labelsText } from './selector-text.ts';

const ready = text(
  'Ready',
  'How many replicas are ready, of how many.',
  (object) =>
    `${countAt(object, 'status', 'readyReplicas')}/${countAt(object, 'spec', 'replicas')}`,
);

const statusCount = (name: string, doc: string, field: string) =>
  integer(name, doc, (object) => countAt(object, 'status', field));

export const deploymentColumns = [
  ready,
  text('Up-to-date', 'How many pods are of the present template.', (object) =>
    countAt(object, 'status', 'updatedReplicas'),
  ),
  text('Available', 'How many pods have been ready for long enough.', (object) =>
    countAt(object, 'status', 'availableReplicas'),
  ),
  age,
  ...containerColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
];

const replicaColumns = [
  integer('Desired', 'How many pods there should be.', (object) =>
    countAt(object, 'spec', 'replicas'),
  ),
  statusCount('Current', 'How many pods there are.', 'replicas'),
  statusCount('Ready', 'How many pods are ready.', 'readyReplicas'),
  age,
  ...containerColumns('spec', 'template'),
];

export const replicaSetColumns = [...replicaColumns, selectorColumn('spec', 'selector')];

/** Their selector is from a time when there were only labels to select by. */
export const replicationControllerColumns = [
  ...replicaColumns,
  wide('Selector', 'The labels by which its pods are found.', (object) =>
    labelsText(at(object, 'spec', 'selector')),
  ),
];

export const statefulSetColumns = [ready, age, ...containerColumns('spec', 'template')];

export const daemonSetColumns = [
  statusCount('Desired', 'How many nodes should run a pod of it.', 'desiredNumberScheduled'),
  statusCount('Current', 'How many of these nodes run one.', 'currentNumberScheduled'),
  statusCount('Ready', 'How many of these pods are ready.', 'numberReady'),
  statusCount('Up-to-date', 'How many are of the present template.', 'updatedNumberScheduled'),
  statusCount('Available', 'How many have been ready for long enough.', 'numberAvailable'),
  text('Node Selector', 'The labels of the nodes that should run it.', (object) =>
    labelsText(at(object, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  age,
  ...containerColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
];

const controllerOf = (owner: ReturnType<typeof listAt>[number]): string => {
  const apiVersion = textAt(owner, 'apiVersion');
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${`${textAt(owner, 'kind')}${group}`.toLowerCase()}/${textAt(owner, 'name')}`;
};

export const controllerRevisionColumns = [
  text('Controller', 'What it is a revision of.', (object) => {
    const owner = listAt(object, 'metadata', 'ownerReferences').find(
      ({ controller }) => controller === true,
    );
    return owner === undefined ? '<none>' : controllerOf(owner);
  }),
  text('Revision', 'The number of the revision.', (object) => countAt(object, 'revision')),
  age,
];

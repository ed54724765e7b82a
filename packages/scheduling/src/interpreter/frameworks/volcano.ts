import { objectIn, objectsIn, textIn } from '../fields.ts';
import type { KindInterpreter } from '../interpreter.ts';
import { componentOf, dependenciesOf, numberOr } from './components.ts';
import { jointStatus } from './joint-status.ts';

const WELL: readonly string[] = [
  'Running',
  'Completed',
  'Pending',
  'Aborting',
  'Aborted',
  'Restarting',
  'Completing',
  'Terminating',
  'Terminated',
];

/** A Volcano Job: each task counts with its minimum for the gang. */
export const volcanoJob: KindInterpreter = {
  apiVersion: 'batch.volcano.sh/v1alpha1',
  kind: 'Job',
  components: (object) =>
    objectsIn(object, 'spec', 'tasks').map((task, index) =>
      componentOf(
        textIn(task, 'name') || `task-${index}`,
        numberOr(task.minAvailable, 1),
        objectIn(task, 'template'),
      ),
    ),
  health: (object) =>
    WELL.includes(textIn(object, 'status', 'state', 'phase')) ? 'Healthy' : 'Unhealthy',
  aggregate: jointStatus({
    read: (status) => textIn(status, 'state', 'phase'),
    order: [
      'Completed',
      'Completing',
      'Pending',
      'Restarting',
      'Running',
      'Terminating',
      'Terminated',
      'Aborting',
      'Aborted',
      'Failed',
    ],
  }),
  dependencies: (object) =>
    dependenciesOf(
      object,
      objectsIn(object, 'spec', 'tasks').map((task) => objectIn(task, 'template')),
    ),
};

import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { provisionerChanges } from './provisioner-changes.ts';
import type { Provisioners } from './provisioners.ts';

const ALL = { name: 'all' };

/** Reports invalid entries as Events of the ConfigMap. */
export const provisionerSettingsController = ({
  provisioners,
}: {
  readonly provisioners: Provisioners;
}): ControllerDefinition =>
  defineController({
    name: 'data-provisioner-settings',
    watches: [provisionerChanges(provisioners, () => [ALL])],
    reconcile: async (_, { events }) => {
      const { configMap } = provisioners;
      if (configMap === undefined) return undefined;
      for (const [key, problem] of provisioners.problems) {
        events.warning(configMap, 'ProvisionerInvalid', `${key}: ${problem}`);
      }
      return undefined;
    },
  });

import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import type { Informer } from '@perigee/kube/informer/informer';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { sameJson } from '@perigee/schema/same-json';
import { InvalidRulesError } from '../errors.ts';
import type { LiveLevels } from './live-levels.ts';
import { readGroupLevels } from './read-group-levels.ts';

/** The ConfigMap with the rules for the owners of groups. */
export const RULES = { namespace: 'volcano-system', name: 'volcano-controller-configmap' };
export const RULES_KEY = 'volcano-controller.conf';

/** Loads the rules from the ConfigMap; invalid ones change nothing, and an Event reports them. */
export const groupRulesController = (levels: LiveLevels): ControllerDefinition => {
  let informer: Informer<ConfigMap> | undefined;
  /** The text that the last Event reported. */
  let lastReportedText: string | undefined;
  const rulesSource: Source = {
    kinds: [],
    start: ({ informers, enqueue }) => {
      const { namespace, name } = RULES;
      const rules = informers.for(ConfigMap, {
        namespace,
        fieldSelector: `metadata.name=${name}`,
      });
      informer = rules;
      const recheck = () => enqueue(RULES);
      // Also without such a ConfigMap.
      rules.synced.then(recheck, () => {});
      return rules.addHandler({ onAdd: recheck, onUpdate: recheck, onDelete: recheck });
    },
  };
  return defineController({
    name: 'pod-group-rules',
    watches: [rulesSource],
    reconcile: async (ref, { events, logger }) => {
      if (informer?.hasSynced !== true) return undefined;
      const configMap = informer.get(ref);
      try {
        const text = configMap?.data?.[RULES_KEY];
        const read = readGroupLevels(text ?? '');
        const isChange = configMap !== undefined && text !== lastReportedText;
        lastReportedText = text;
        if (!levels.areKnown || !sameJson(read, levels.current)) levels.set(read);
        if (isChange)
          events.normal(configMap, 'RulesRead', `${read.rules.length} rules are in force`);
      } catch (error) {
        if (!(error instanceof InvalidRulesError) || configMap === undefined) throw error;
        const consequence = levels.areKnown
          ? 'the last good rules stay in force'
          : 'the defaults are used';
        events.warning(configMap, 'InvalidRules', `${RULES_KEY}: ${error.message}; ${consequence}`);
        logger.warn('the rules for PodGroups are wrong', { error: error.message });
        lastReportedText = undefined;
        levels.keep();
      }
      return undefined;
    },
  });
};

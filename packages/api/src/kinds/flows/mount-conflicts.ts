import { type FieldError, invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import { itemsAt, type Located, objectAt } from '../../kind/reshape.ts';

const withoutEndSlash = (path: string): string => path.replace(/(?<=^\/|[^/])\/+$/, '');

const containersOf = (spec: JsonObject): readonly Located[] => {
  const processor = objectAt(spec, 'processor');
  const script = objectAt(processor, 'script');
  if (script) return [[script, 'spec.processor.script']];
  const podSpec = objectAt(objectAt(processor, 'job'), 'podSpec');
  const pod: Located = [podSpec ?? {}, 'spec.processor.job.podSpec'];
  return [...itemsAt(pod, 'initContainers'), ...itemsAt(pod, 'containers')];
};

/**
 * Other mounts at the path of the dataset of a DataProcess. Not a CEL rule: the containers and
 * mounts of a pod are unbounded lists, which a server would refuse to iterate over, and here each
 * mistake can be shown at its own field.
 */
export const mountConflicts = (spec: JsonObject): readonly FieldError[] => {
  const datasetPath = objectAt(spec, 'dataset')?.mountPath;
  if (typeof datasetPath !== 'string' || datasetPath === '') return [];
  const mounts = containersOf(spec).flatMap((container) => itemsAt(container, 'volumeMounts'));
  return mounts.flatMap(([{ mountPath }, at]) =>
    typeof mountPath === 'string' && withoutEndSlash(mountPath) === withoutEndSlash(datasetPath)
      ? [
          invalid(
            `${at}.mountPath`,
            mountPath,
            'is where the dataset is mounted (spec.dataset.mountPath); choose another path',
          ),
        ]
      : [],
  );
};

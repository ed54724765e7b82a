import { type FieldError, invalid } from '../../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';

type Value = JsonValue | undefined;

const withoutEndSlash = (path: string): string => path.replace(/(?<=.)\/+$/, '');

const at = (value: Value, key: string): Value => (isJsonObject(value) ? value[key] : undefined);

const items = (value: Value): readonly Value[] => (Array.isArray(value) ? value : []);

/**
 * What else is mounted where a DataProcess mounts its dataset. Not a CEL rule: the containers and
 * mounts of a pod are unbounded lists, which a server would refuse to iterate over, and here each
 * mistake can be shown at its own field.
 */
export const mountConflicts = (spec: JsonObject): readonly FieldError[] => {
  const taken = at(spec.dataset, 'mountPath');
  if (typeof taken !== 'string' || taken === '') return [];
  const script = at(spec.processor, 'script');
  const podSpec = at(at(spec.processor, 'job'), 'podSpec');
  const mounting = [
    { field: 'spec.processor.script', container: script },
    ...['initContainers', 'containers'].flatMap((kind) =>
      items(at(podSpec, kind)).map((container, index) => ({
        field: `spec.processor.job.podSpec.${kind}[${index}]`,
        container,
      })),
    ),
  ];
  return mounting.flatMap(({ field, container }) =>
    items(at(container, 'volumeMounts')).flatMap((mount, index) => {
      const path = at(mount, 'mountPath');
      if (typeof path !== 'string' || withoutEndSlash(path) !== withoutEndSlash(taken)) return [];
      return [
        invalid(
          `${field}.volumeMounts[${index}].mountPath`,
          path,
          'is where the dataset is mounted (spec.dataset.mountPath); choose another path',
        ),
      ];
    }),
  );
};

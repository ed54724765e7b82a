import type { ObjectRef } from '@perigee/kube/client/client';
import { index } from '@perigee/kube/controller/cache-index';
import { defineController } from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { objectKey } from '@perigee/kube/informer/object-key';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';

/** On a ConfigMap: the namespaces that get a copy of it. */
export const COPY_TO = 'copy-to';
/** On a copy: the namespace of the original, which has the same name. */
export const COPIED_FROM = 'copied-from';

export const targetsOf = (source: ConfigMap | undefined): readonly string[] =>
  (source?.metadata.annotations?.[COPY_TO] ?? '').split(',').filter((target) => target !== '');

const sourceOf = ({ metadata: { name, labels } }: ConfigMap): readonly ObjectRef[] => {
  const namespace = labels?.[COPIED_FROM];
  return namespace === undefined ? [] : [{ namespace, name }];
};

const sameData = (a: ConfigMap | undefined, b: ConfigMap): boolean =>
  JSON.stringify(a?.data ?? {}) === JSON.stringify(b.data ?? {});

/** Keeps copies of ConfigMaps in other namespaces: as small as a controller can be that does it right. */
export const configMapCopier = defineController({
  name: 'config-map-copier',
  for: ConfigMap,
  when: (now, before) => targetsOf(now).length > 0 || targetsOf(before).length > 0,
  watches: [
    watch(ConfigMap, { map: sourceOf }),
    watch(Namespace, {
      map: ({ metadata: { name } }, cache) =>
        cache(ConfigMap)
          .byIndex('target', name)
          .map(({ metadata }) => metadata),
    }),
  ],
  indexes: [
    index(ConfigMap, 'target', targetsOf),
    index(ConfigMap, 'source', (copy) => sourceOf(copy).map(objectKey)),
  ],
  concurrency: 2,
  async reconcile(ref, { cache, client, signal }) {
    const source = cache(ConfigMap).get(ref);
    const targets = targetsOf(source).filter((name) => cache(Namespace).get({ name }));
    const copies = cache(ConfigMap).byIndex('source', objectKey(ref));
    for (const { metadata } of copies) {
      if (targets.includes(metadata.namespace ?? '')) continue;
      const { name, namespace = '', uid } = metadata;
      await client.delete(ConfigMap, { name, namespace }, { preconditions: { uid }, signal });
    }
    for (const namespace of source ? targets : []) {
      const copy = copies.find(({ metadata }) => metadata.namespace === namespace);
      const data = source?.data ?? {};
      const metadata = { name: ref.name, namespace, labels: { [COPIED_FROM]: `${ref.namespace}` } };
      if (copy === undefined) await client.create(ConfigMap, { metadata, data }, { signal });
      else if (!sameData(source, copy)) {
        await client.update(ConfigMap, { ...copy, data }, { signal });
      }
    }
  },
});

import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '@perigee/kube/client/client';
import { present } from '@perigee/schema/present';

/** Kind and name of a template. */
export interface TemplateKey extends ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
}

export const keyOf = ({
  apiVersion,
  kind,
  metadata: { namespace, name },
}: KubeObject): TemplateKey => ({
  apiVersion,
  kind,
  ...present({ namespace }),
  name,
});

/** The queue key of a template: the name is prefixed with the kind, separated by characters that no kind contains. */
export const refOfTemplate = ({ apiVersion, kind, namespace, name }: TemplateKey): ObjectRef => {
  const coded = `${kind}.${apiVersion.replace('/', '!')}~${name}`;
  return namespace === undefined ? { name: coded } : { namespace, name: coded };
};

export const templateOfRef = ({ namespace, name: coded }: ObjectRef): TemplateKey => {
  const end = coded.indexOf('~');
  const dot = coded.indexOf('.');
  return {
    kind: coded.slice(0, dot),
    apiVersion: coded.slice(dot + 1, end).replace('!', '/'),
    ...present({ namespace }),
    name: coded.slice(end + 1),
  };
};

import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { isNotFound, isNotServed } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { Secret } from '@perigee/kubernetes/core/secret';
import { ServiceAccount } from '@perigee/kubernetes/core/service-account';
import { present } from '@perigee/schema/present';
import { notFound } from '../config/missing-config.ts';
import { PodConfigError } from '../errors.ts';
import { processSpecOf, type TokenSource } from '../processes/process-spec.ts';

export type PodData = ReadonlyMap<string, Buffer>;

interface DataReference {
  readonly name?: string;
  readonly optional?: boolean;
}

const buffers = (
  entries: { readonly [key: string]: string } = {},
  encoding: 'utf8' | 'base64',
): [string, Buffer][] =>
  Object.entries(entries).map(([key, value]) => [key, Buffer.from(value, encoding)]);

/** Reads ConfigMaps and Secrets, and requests tokens, for pods of a namespace. */
export class PodDataReader {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  configMap(reference: DataReference): Promise<PodData> {
    return this.#read(ConfigMap, 'ConfigMap', reference, ({ data, binaryData }) => [
      ...buffers(data, 'utf8'),
      ...buffers(binaryData, 'base64'),
    ]);
  }

  secret(reference: DataReference): Promise<PodData> {
    return this.#read(Secret, 'Secret', reference, ({ data }) => buffers(data, 'base64'));
  }

  /** A service account token that is bound to the pod. */
  async token(pod: Pod, { audience, expirationSeconds }: TokenSource): Promise<Buffer> {
    const { name: podName, uid } = pod.metadata;
    const { serviceAccountName: name = 'default' } = processSpecOf(pod);
    const order = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace: this.#namespace, name },
      spec: {
        audiences: audience ? [audience] : [],
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid },
        ...present({ expirationSeconds }),
      },
    };
    try {
      const tokenRequest: unknown = await this.#client.create(ServiceAccount, order, {
        subresource: 'token',
      });
      return Buffer.from(
        (tokenRequest as { readonly status: { readonly token: string } }).status.token,
      );
    } catch (error) {
      if (!(isNotFound(error) || isNotServed(error))) throw error;
      throw new PodConfigError(`service account "${name}" gives no token`);
    }
  }

  async #read<T extends KubeObject>(
    kind: ResourceKind<T>,
    kindName: 'ConfigMap' | 'Secret',
    { name = '', optional = false }: DataReference,
    entriesOf: (object: T) => [string, Buffer][],
  ): Promise<PodData> {
    const ref = { namespace: this.#namespace, name };
    const object: T | undefined = await getOrUndefined(this.#client, kind, ref);
    if (object !== undefined) return new Map(entriesOf(object));
    if (optional) return new Map();
    throw new PodConfigError(notFound(kindName, name));
  }
}

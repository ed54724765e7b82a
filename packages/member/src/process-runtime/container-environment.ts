import type { Pod } from '@perigee/kubernetes/core/pod';
import { PodConfigError } from '../errors.ts';
import type { KeyRef, ProcessContainer } from '../processes/process-spec.ts';
import { expandVariables } from './expand-variables.ts';
import { fieldValue } from './field-value.ts';
import type { PodData, PodDataReader } from './pod-data.ts';

export type Environment = { readonly [name: string]: string };

interface EnvironmentSources {
  readonly pod: Pod;
  readonly hostIP: string;
  readonly data: PodDataReader;
  /** Variables of every process in the pod, which it cannot override. */
  readonly fixed: Environment;
  /** Defaults that the pod can override. */
  readonly usual: Environment;
}

const NAME = /^[^=\0]+$/;

const valueAt = (data: PodData, { key, optional }: KeyRef, where: string): string | undefined => {
  const value = data.get(key);
  if (value !== undefined) return value.toString();
  if (optional) return undefined;
  throw new PodConfigError(`couldn't find key ${key} in ${where}`);
};

const plainValue = (
  name: string,
  value: string,
  valueFrom: object | undefined,
  earlierVariables: Environment,
): string => {
  if (valueFrom === undefined) return expandVariables(value, earlierVariables);
  const sort = Object.keys(valueFrom).join();
  throw new PodConfigError(`the variable ${name} is from a ${sort}, which processes do not get`, {
    isLasting: true,
  });
};

/** The variables of a container: envFrom first, then env, in their order. */
export const containerEnvironment = async (
  { env = [], envFrom = [] }: ProcessContainer,
  { pod, hostIP, data, fixed, usual }: EnvironmentSources,
): Promise<Environment> => {
  const { namespace = '' } = pod.metadata;
  const environment: { [name: string]: string } = { ...usual };
  for (const { prefix = '', configMapRef, secretRef } of envFrom) {
    const maps = [
      configMapRef && (await data.configMap(configMapRef)),
      secretRef && (await data.secret(secretRef)),
    ];
    for (const [key, value] of maps.flatMap((map) => [...(map ?? [])])) {
      environment[prefix + key] = value.toString();
    }
  }
  for (const { name, value = '', valueFrom } of env) {
    if (!NAME.test(name)) continue;
    const { configMapKeyRef: fromMap, secretKeyRef: fromSecret, fieldRef } = valueFrom ?? {};
    const read = fromMap
      ? valueAt(await data.configMap(fromMap), fromMap, `ConfigMap ${namespace}/${fromMap.name}`)
      : fromSecret
        ? valueAt(
            await data.secret(fromSecret),
            fromSecret,
            `Secret ${namespace}/${fromSecret.name}`,
          )
        : fieldRef
          ? fieldValue(pod, fieldRef.fieldPath, hostIP)
          : plainValue(name, value, valueFrom, { ...environment, ...fixed });
    if (read !== undefined) environment[name] = read;
  }
  return { ...environment, ...fixed };
};

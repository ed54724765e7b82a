import { ConfigError } from '@perigee/kube/errors';
import { checkDnsLabel } from '@perigee/schema/values/names';
import { ROOT_CLUSTER } from '../pki/cluster-units.ts';

/** It is part of host names, of the names of files, and of namespaces that others make of it. */
const LONGEST = 48;

/** The control plane, by its own name and by that of its context in kubeconfigs. */
const RESERVED: readonly string[] = [ROOT_CLUSTER, 'perigee'];

/** Throws `ConfigError` for what cannot be the name of a member. */
export const requireClusterName = (name: string): void => {
  if (RESERVED.includes(name)) {
    throw new ConfigError(`a member cannot be called ${name}: that is the control plane`);
  }
  if (name.length > LONGEST) {
    throw new ConfigError(
      `the name of a cluster has at most ${LONGEST} characters, and ${JSON.stringify(name)} has ${name.length}`,
    );
  }
  const [problem] = checkDnsLabel(name);
  if (problem !== undefined) {
    throw new ConfigError(`${JSON.stringify(name)} cannot be the name of a cluster: ${problem}`);
  }
};

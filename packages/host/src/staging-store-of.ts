import { ConfigError } from '@perigee/kube/errors';
import { parseStagingStore, type StagingStore } from '@perigee/scheduling/flows/staging-store';

/** Parses the option that names the staging store for transfers between clusters. */
export const stagingStoreOf = (text: string): StagingStore => {
  const store = parseStagingStore(text);
  if ('problem' in store) throw new ConfigError(`stagingStore: ${store.problem}`);
  return store;
};

import { ConfigError } from '@perigee/kube/errors';
import { parseStagingStore, type StagingStore } from '@perigee/scheduling/flows/staging-store';

/** The store that data goes through between clusters, as an option names it. */
export const stagingStoreOf = (text: string): StagingStore => {
  const store = parseStagingStore(text);
  if ('problem' in store) throw new ConfigError(`stagingStore: ${store.problem}`);
  return store;
};

import type { Progress } from '@perigee/host/progress';
import { describeIsolation } from '@perigee/member/isolation/isolation';

const whose = (namespaces: readonly string[]): string => {
  if (namespaces.length === 0) return 'all namespaces';
  return `${namespaces.length === 1 ? 'the namespace' : 'the namespaces'} ${namespaces.join(', ')}`;
};

const HINT = '; --process-namespaces restricts it';

/** The lines printed for a step of the start. */
export const progressLines = (progress: Progress): readonly string[] => {
  switch (progress.step) {
    case 'server':
      return ['starting the API server'];
    case 'members':
      return [`registering ${progress.count} member clusters`];
    case 'controllers':
      return ['starting the controllers'];
    case 'processes': {
      const { namespaces, hostPaths, isolation } = progress;
      const hint = namespaces.length === 0 ? HINT : '';
      return [
        `pods of ${whose(namespaces)} may run commands on this machine: that is, whoever may create workloads there, in the control plane or in a member${hint}`,
        describeIsolation(isolation),
        ...(hostPaths.length === 0 ? [] : [`they may read and write ${hostPaths.join(', ')}`]),
      ];
    }
  }
};

import type { Command } from 'commander';
import type { RunPodGroupsOptions } from '../groups/run-pod-groups.ts';
import { addHelp } from '../output/command-help.ts';

export const addPodGroups = (program: Command): void => {
  const command = program
    .command('podgroups')
    .description('Put the pods of one cluster into PodGroups of their owners')
    .option(
      '--scheduler-name <name...>',
      'the schedulers whose pods are put into groups (default: volcano)',
    )
    .option(
      '--beside-volcano',
      'also where Volcano’s own controllers run: its pg-controller must be off',
    )
    .option('--listen <[address:]port>', 'where to answer probes; 0 takes a free port', '10359')
    .action(async (_options: object, self: Command) => {
      const { runPodGroups } = await import('../groups/run-pod-groups.ts');
      await runPodGroups(self.optsWithGlobals<RunPodGroupsOptions>());
    });
  addHelp(command, {
    text: [
      'For a cluster that knows nothing else of Perigee, such as one with Volcano’s scheduler whose own podgroup controller is off. Which owner of a pod has the group is said by the ConfigMap volcano-system/volcano-controller-configmap; without it a Deployment, a Job, or what is just below a Workflow. Several may run for one cluster: one works, the others stand by (kube-system/perigee-pod-groups).',
      'To run it in the cluster itself, apply deploy/pod-groups; what it may do is in rbac.yaml there. Stop it with Ctrl-C.',
    ],
    examples: [
      ['perigee podgroups', 'for the cluster of the usual kubeconfig'],
      ['perigee podgroups --context member1', 'for another one'],
      [
        'perigee podgroups --scheduler-name volcano batch-scheduler',
        'for the pods of two schedulers',
      ],
    ],
  });
};

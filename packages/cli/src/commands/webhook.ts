import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import type { RunWebhookOptions } from '../webhook/run-webhook.ts';

export const addWebhook = (program: Command): void => {
  const command = program
    .command('webhook')
    .description('Run the admission of the kinds for a Kubernetes API server')
    .option('--listen <[address:]port>', 'where to answer; 0 takes a free port', '9443')
    .option('--service <namespace/name>', 'the Service by which the API server reaches it')
    .option('--queue-all', 'hold work that names no queue for the default one')
    .option('--kinds <plurals>', 'the kinds that it is asked about, with commas (default: all)')
    .action(async (_options: object, self: Command) => {
      const { runWebhook } = await import('../webhook/run-webhook.ts');
      await runWebhook(self.optsWithGlobals<RunWebhookOptions>());
    });
  addHelp(command, {
    text: [
      'Kubernetes stores what a definition allows. The webhook does what is beyond a definition, and what "perigee up" does itself: it accepts every spelling, gives policies their ids, and refuses what contradicts itself, or names a Secret that its author may not read. It keeps its certificate in the Secret "perigee-webhook", and tells the server to ask it.',
      'Stop it with Ctrl-C. The server goes on asking, and refuses objects of these kinds meanwhile. To end that: kubectl delete mutatingwebhookconfigurations,validatingwebhookconfigurations perigee',
    ],
    examples: [
      ['perigee webhook', 'for a server on this machine'],
      [
        'perigee webhook --listen 0.0.0.0:9443 --service perigee/perigee-webhook',
        'in a pod, behind that Service, which has the port 443',
      ],
      [
        'perigee webhook --kinds resourcebindings,datasources,datasourceclaims',
        'just data claims, beside the webhook of a Karmada',
      ],
    ],
  });
};

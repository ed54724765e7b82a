import type { Command } from 'commander';
import type { RunRestOptions } from '../clusters/rest/run-rest.ts';
import { addHelp } from '../output/command-help.ts';

export const addRest = (program: Command): void => {
  const command = program
    .command('rest')
    .description('Serve the REST API of the inventory for an API server')
    .option('--port <number>', 'where to listen; 0 takes a free port', '8443')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--tls-cert-file <file>', 'the certificate of this server, in PEM')
    .option('--tls-private-key-file <file>', 'the key of that certificate, in PEM')
    .option('--ca-file <file>', 'where to write what clients have to trust, if it is made here')
    .action(async (_options: object, self: Command) => {
      const { runRest } = await import('../clusters/rest/run-rest.ts');
      await runRest(self.optsWithGlobals<RunRestOptions>());
    });
  addHelp(command, {
    text: [
      'A control plane of "perigee up" has this API already; here it is for any other API server. It has no rights of its own: callers send their token, which is handed on, and the API server decides who they are and what they may do.',
      'It speaks TLS. Without certificate files it makes a certificate for this run, and tells the authority that clients have to trust. It listens on this machine only, unless an address is given. Stop it with Ctrl-C.',
    ],
    examples: [
      ['perigee rest --ca-file ca.crt', 'makes its certificate; "curl --cacert ca.crt" trusts it'],
      [
        'perigee rest --host 0.0.0.0 \\\n    --tls-cert-file tls.crt --tls-private-key-file tls.key',
        'for other machines, with a certificate that they trust',
      ],
    ],
  });
};

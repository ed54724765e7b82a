import type { Command } from 'commander';
import type { DemoOptions } from '../demo/run-demo.ts';
import { addHelp } from '../output/command-help.ts';

export const addDemo = (program: Command): void => {
  const command = program
    .command('demo')
    .description('Tell the story of Perigee on a control plane of its own, and check every step')
    .option('--once', 'stop when the story is told')
    .option('--scene <number>', 'show this scene only; those before it are played unseen', Number)
    .option('--pause', 'wait for the Enter key before each scene')
    .option('--port <number>', 'where to listen on 127.0.0.1; 0 takes a free port', Number, 0)
    .action(async (options: DemoOptions) => {
      const { runDemo } = await import('../demo/run-demo.ts');
      await runDemo(options);
    });
  addHelp(command, {
    withoutServer: true,
    text: [
      'It starts a control plane with virtual member clusters, types commands as you would, and shows what they print: data is moved, work waits for it, goes there by itself, and moves when a cluster is lost. It takes about a minute, keeps nothing, and touches no other cluster.',
      'It uses kubectl and curl if you have them, and sends the same requests itself if not.',
    ],
    examples: [
      ['perigee demo', 'stays up at the end, to play with'],
      ['perigee demo --once', 'stops at the end; exits with 1 if anything did not come true'],
      ['perigee demo --pause', 'waits before each scene, for who shows it to others'],
      ['perigee demo --once --scene 5', 'the fifth scene only'],
    ],
  });
};

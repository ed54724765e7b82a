import { enableCompileCache } from 'node:module';

enableCompileCache();

// A reader such as `head` may close the pipe before everything is written; that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));

import { enableCompileCache } from 'node:module';
import './fast-imports.ts';

enableCompileCache();

// A reader such as `head` may close the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

const { run } = await import('./run.ts');
process.exitCode = await run(process.argv.slice(2));

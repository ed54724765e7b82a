import { enableCompileCache } from 'node:module';

// Each thread reads the program anew; without the types and compiled, that takes a third of the time.
enableCompileCache();
await import('./work.ts');

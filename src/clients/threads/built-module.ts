/**
 * Where a thread's entry file lies. Threads run built JavaScript, because type-stripping loaders do not reach them on Node 20; code that
 * runs from `src` (tests) starts the thread from `dist` beside it. It knows no thread.
 */

/** The URL of a module of `dist`, named from there: `run/publisher-thread.js`. */
export const builtModule = (path: string): URL => new URL(`../../../dist/${path}`, import.meta.url)

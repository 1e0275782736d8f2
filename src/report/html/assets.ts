/** Files that are put into pages as they are: our style and scripts beside this file, and uPlot from its package. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

const own = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')
const fromUplot = (name: string): string => readFileSync(require.resolve(`uplot/dist/${name}`), 'utf8')

export const ownStyle = (): string => own('page.css')
export const pageStyle = (): string => `${fromUplot('uPlot.min.css')}\n${ownStyle()}`
export const chartLibrary = (): string => fromUplot('uPlot.iife.min.js')
export const reportScript = (): string => own('chart-parts.browser.js') + own('charts.browser.js')
export const liveScript = (): string => own('chart-parts.browser.js') + own('live.browser.js')

// What the charts of the report page and of the live page have in common: numbers as people read them, and parts of uPlot options in the colours of
// the page. Runs in the reader's browser, before the page's own script.
globalThis.chartParts = (() => {
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

  // ---- numbers as people read them

  const milliseconds = (ms) => {
    if (ms === null || ms === undefined) return '–'
    if (Math.abs(ms) < 1) return `${significant(ms * 1000)} µs`
    if (Math.abs(ms) < 1000) return `${significant(ms)} ms`
    return `${significant(ms / 1000)} s`
  }
  const significant = (value) => (Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3))))
  const perSecond = (value) => (value === null || value === undefined ? '–' : `${Math.round(value).toLocaleString('en-US')}/s`)
  const count = (value) => (value === null || value === undefined ? '–' : Math.round(value).toLocaleString('en-US'))
  const seconds = (value) => (value === null || value === undefined ? '–' : `${significant(value)} s`)
  const share = (nines) => `${Number((100 * (1 - 10 ** -nines)).toPrecision(7))} %`

  const axis = (more) => ({
    stroke: colour('soft'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
    font: `12px ${getComputedStyle(document.body).fontFamily}`,
    ...more,
  })

  /** A line in the page's colour `name`; `value` makes a number into the text of the legend. */
  const line = (label, name, value, more = {}) => ({
    label,
    stroke: colour(name),
    width: 2,
    points: { show: false },
    value: (_, raw) => value(raw),
    ...more,
  })
  /** Charts fill their element, as far as they can be read at all. */
  const widthOf = (element) => Math.max(260, element.clientWidth)

  return { colour, milliseconds, perSecond, count, seconds, share, axis, line, widthOf }
})()

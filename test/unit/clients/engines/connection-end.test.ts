import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type EndFacts, explainEnd } from '../../../../src/clients/engines/connection-end.ts'

const nothing: EndFacts = { isClosing: false, fault: undefined, closeFrame: undefined, socketFault: undefined }
const fault = { code: 'protocol-error', text: 'masked frame' } as const
const socketFault = { code: 'reset-by-target', text: 'read ECONNRESET' } as const
const closeFrame = { code: 1001, reason: Buffer.from('bye') }

// what is known, what it comes to
const rows: [what: string, facts: Partial<EndFacts>, code: string | undefined, closeCode: number | undefined][] = [
  ['nothing but the end', {}, 'cut-by-target', 1006],
  ['a reset', { socketFault }, 'reset-by-target', 1006],
  ['a close frame', { closeFrame }, 'closed-by-target', 1001],
  ['a close frame and then a reset', { closeFrame, socketFault }, 'closed-by-target', 1001],
  ['a fault, whatever the target says to that', { fault, closeFrame, socketFault }, 'protocol-error', undefined],
  ['our own close', { isClosing: true }, undefined, undefined],
  ['our own close that was answered', { isClosing: true, closeFrame }, undefined, 1001],
  ['our own close that met a reset', { isClosing: true, socketFault }, undefined, undefined],
]
for (const [what, facts, code, closeCode] of rows) {
  it(`${what} is booked as ${code ?? 'a purpose of ours'}`, () => {
    const end = explainEnd({ ...nothing, ...facts })
    assert.deepEqual([end.code, end.closeCode], [code, closeCode])
  })
}

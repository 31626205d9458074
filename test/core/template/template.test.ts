import { describe, expect, it } from 'vitest'
import {
  activateTemplate,
  archiveTemplate,
  changeTemplate,
  createTemplate,
} from '../../../src/core/template/template.ts'

const content = { type: 'report', label: null, description: null, settings: {}, schema: null }

describe('the life of a template', () => {
  it('goes from CREATED by ACTIVE to ARCHIVED, and repeats nothing', () => {
    const { template: created, events } = createTemplate(content)
    expect([created.status, events]).toEqual(['CREATED', [{ type: 'template.created', data: content }]])
    const { template: active } = activateTemplate(created)
    expect(active.status).toBe('ACTIVE')
    expect(activateTemplate(active)).toEqual({ template: active, events: [] })
    const changed = changeTemplate(active, { label: 'x' })
    expect(changed).toMatchObject({ template: { label: 'x', status: 'ACTIVE' }, events: [{ data: { label: 'x' } }] })
    const { template: archived } = archiveTemplate(changed.template)
    expect(archived.status).toBe('ARCHIVED')
    expect(archiveTemplate(archived).events).toEqual([])
  })

  it('ends with the archive', () => {
    const { template } = archiveTemplate(createTemplate(content).template)
    expect(() => activateTemplate(template)).toThrow(expect.objectContaining({ code: 'template_archived' }))
    expect(() => changeTemplate(template, {})).toThrow(expect.objectContaining({ code: 'template_archived' }))
  })
})

import { describe } from 'vitest'
import { schedulePolicies } from '../simulation/schedule-policies.ts'

describe('ten years of schedules make one job for each due instant', () => schedulePolicies(10))

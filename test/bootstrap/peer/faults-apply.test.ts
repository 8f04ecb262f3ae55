import { faultTests } from './faults';
import { SCENARIOS } from './scenarios';

faultTests(SCENARIOS[0]!);

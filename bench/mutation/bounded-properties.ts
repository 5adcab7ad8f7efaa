import fc from 'fast-check';

// A law is asked thousands of times here: each time for a moment, and a counter-example is not made smaller.
fc.configureGlobal({ interruptAfterTimeLimit: 250, markInterruptAsFailure: false, endOnFailure: true });

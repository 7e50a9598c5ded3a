//! The code graph: who calls, extends, imports and documents whom, in one repository and across them.

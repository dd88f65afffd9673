// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IToken {
    function transfer(address to, uint256 value) external;
}

/// Makes several transfers of several tokens in one transaction, from its own balances.
contract Batch {
    function pay(address[] calldata tokens, address[] calldata to, uint256[] calldata values) external {
        for (uint256 i = 0; i < tokens.length; i++) {
            IToken(tokens[i]).transfer(to[i], values[i]);
        }
    }
}

